// The vocabulary of the engine and its JSON values are part of its interface: one import is enough for a program.
@_exported import TidemarkJSON
@_exported import TidemarkModel
