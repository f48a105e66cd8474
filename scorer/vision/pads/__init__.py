"""Reads score pads from photos: load -> find the sheet -> cut its cells -> read numbers -> decode columns."""
