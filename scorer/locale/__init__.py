"""The catalogues: what the package says, in the languages of the rule books."""
