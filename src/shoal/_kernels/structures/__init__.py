"""Data structures that several methods share.

- `heap`: a min-heap of integers, and a max-heap of items whose keys are stored elsewhere;
- `linked_lists`: doubly linked lists, such as the records of each group;
- `sorted_list`: short sorted lists of the items with the least keys;
- `tournament`: a tree that yields the least of many keys while they change one by one;
- `union_find`: disjoint sets.
"""
