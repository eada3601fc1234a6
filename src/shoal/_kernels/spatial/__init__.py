"""Searches for near and far records among those that have no group yet, and for neighbours.

- `pool` passes over all remaining records, which is fastest for short tables and ends of long ones;
- `index` stores them in blocks, so that `search` reads few: `coordinate_frame` has the axes of the
  stored coordinates, `block_order` the order of the records, `block_boxes` the boxes around
  blocks, `block_queue` the superblock to visit next, and `score_bounds` what may be excluded;
- `neighbours` finds the nearest others of every record with an index, or with `matrix_products`
  where an index would exclude hardly any block;
- `rank_queries` counts the records closer to a point than a given one;
- `box_tree` is a tree of points that move, such as centroids.
"""
