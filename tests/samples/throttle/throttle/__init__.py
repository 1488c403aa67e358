"""A small rate limiter: the program that the sample documents cite."""
