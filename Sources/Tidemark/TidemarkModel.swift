// The vocabulary of the engine is part of its interface: one import is enough for a program.
@_exported import TidemarkModel
