"""Lower bounds of the SSE of all partitions, computed by the workers of a runner."""
