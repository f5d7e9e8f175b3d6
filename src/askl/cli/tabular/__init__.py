"""Tables in files of all formats, read in blocks."""
