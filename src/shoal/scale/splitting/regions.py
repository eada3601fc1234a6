"""Join cells into regions that are large enough to group, and pack regions into blocks."""

from collections.abc import Mapping, Sequence

MIN_SIZE_DIVISOR = 8  # a region has at least 1/8 of the records of a full cell, if possible

Region = tuple[int, ...]  # neighbouring cells of one stratum that are grouped together


def make_regions(
    cells: Sequence[int], records_by_cell: Mapping[int, int], k: int, cell_size: int
) -> list[Region]:
    """Join neighbouring cells of a stratum until no region is too small.

    Parameters
    ----------
    cells : list of int
        The cells of the stratum; neighbouring cells are consecutive.
    records_by_cell : dict
        Exact number of records in each cell.
    k : int
        Minimum number of records in a group.
    cell_size : int
        Maximum number of records in a cell, as estimated by the sample.

    Returns
    -------
    list of tuple of int
        The cells of each region, with at least k records together if the stratum has them.
    """
    min_records = max(k, cell_size // MIN_SIZE_DIVISOR)
    regions: list[Region] = [()]
    for cell in cells:
        if region_size(regions[-1], records_by_cell) >= min_records:
            regions.append(())
        regions[-1] += (cell,)
    if len(regions) > 1 and region_size(regions[-1], records_by_cell) < min_records:
        last = regions.pop()
        regions[-1] += last
    return regions


def make_blocks(
    regions: Sequence[Region], records_by_cell: Mapping[int, int], chunk_size: int
) -> list[list[Region]]:
    """Pack consecutive regions into blocks of up to ``chunk_size`` records, one task each."""
    blocks: list[list[Region]] = []
    block_records = 0
    for region in regions:
        size = region_size(region, records_by_cell)
        if not blocks or block_records + size > chunk_size:
            blocks.append([])
            block_records = 0
        blocks[-1].append(region)
        block_records += size
    return blocks


def region_size(cells: Sequence[int], records_by_cell: Mapping[int, int]) -> int:
    """Return the number of records in the given cells, of one region or of several."""
    return sum(records_by_cell.get(cell, 0) for cell in cells)
