"""The cheapest cuts of an order into groups, as a shortest path.

`ordered_records` is for any order of records, `sorted_values` for the sorted values of one column,
where fewer groups have to be compared.
"""
