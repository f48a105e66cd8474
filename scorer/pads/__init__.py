"""Score pads: as files, checked against the kingdoms, printed; `scorer.vision.pads` reads them from photos."""
