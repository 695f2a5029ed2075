//! A folder tree as tools see it: what is ignored, which files have a name, which lines hold a text.
