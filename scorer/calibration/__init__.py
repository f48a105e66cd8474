"""Teaches the reader a user's own copy and table: squares, light, lens, edition. Nothing leaves it."""
