//! What is forbidden is prevented, and what people do all day still works.
