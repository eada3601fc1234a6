"""The loops that prove lower bounds of the SSE of long tables by feasible duals.

Duals are *feasible* if no group of k rows costs less than the sum of its duals.

- `pair_costs` computes duals from pairs of near rows;
- `net_duals` bounds reduced costs by nearest neighbours, and `row_boxes` finds the rows of low
  bounds;
- `correction` finds by how much duals violate feasibility: it lists the rows near enough to form a
  violated group (`search_radius`), and searches among them (`spread_search`).

`shoal.partitioners._dual_bound` explains how these work together.
"""
