"""The files of a source, and the chunks that workers read of them."""
