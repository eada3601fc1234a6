"""What a plan states: its document, its columns and units, and checks that it is consistent.

``document`` reads and writes plans. ``columns`` derives which columns a plan masks, drops or
computes with. ``units`` and ``weights`` make roles and steps agree, and ``validation`` refuses
plans that contradict themselves. ``limits``, ``other_columns`` and ``repair`` check one parameter
each.
"""
