"""Clusters to mask large tables on."""

import sys

import pytest

from clusters import Client, cluster


@pytest.fixture(scope="module")
def client():
    """Return a client of two workers in this process: quick, and good enough to compute on."""
    with (
        cluster(2, processes=False) as local_cluster,
        Client(local_cluster, set_as_default=False) as connected_client,
    ):
        yield connected_client


@pytest.fixture(scope="module")
def processes():
    """Return a client of two workers that are processes, and can be killed."""
    with (
        cluster(2) as local_cluster,
        Client(local_cluster, set_as_default=False) as connected_client,
    ):
        connected_client.run(sys.path.insert, 0, sys.path[0])
        yield connected_client
