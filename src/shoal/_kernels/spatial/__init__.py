"""Searches for near and far records: an index of blocks, a pool, trees and boxes."""
