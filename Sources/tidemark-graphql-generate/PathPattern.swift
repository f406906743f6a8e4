import ArgumentParser
import Foundation

/// Finds files by patterns, in which `*` matches any part of a name and `**` any folders.
enum PathPattern {
    /// Returns the files of all patterns, each once, in the order of the patterns and then of their paths.
    ///
    /// - Throws: `ValidationError` for a pattern that matches no file.
    static func paths(of patterns: [String]) throws -> [String] {
        var paths: [String] = []
        var seen: Set<String> = []
        for pattern in patterns {
            let found = pattern.contains("*") ? try matches(of: pattern) : [pattern]
            guard !found.isEmpty else {
                throw ValidationError("No file matches '\(pattern)'; put the pattern in quotes, and check its folder.")
            }
            for path in found where seen.insert(path).inserted { paths.append(path) }
        }
        return paths
    }

    private static func matches(of pattern: String) throws -> [String] {
        let parts = pattern.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let fixed = parts.prefix { !$0.contains("*") }
        let folder = fixed.isEmpty ? "." : fixed.joined(separator: "/")
        let wanted = Array(parts.dropFirst(fixed.count))
        guard let walk = FileManager.default.enumerator(atPath: folder.isEmpty ? "/" : folder) else { return [] }
        var paths: [String] = []
        for case let path as String in walk {
            guard fits(path.split(separator: "/").map(String.init)[...], wanted[...]) else { continue }
            paths.append(fixed.isEmpty ? path : "\(folder)/\(path)")
        }
        return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// True if the names of a path fit the parts of a pattern.
    ///
    /// - Complexity: O(names²) for each `**`.
    static func fits(_ names: ArraySlice<String>, _ parts: ArraySlice<String>) -> Bool {
        guard let part = parts.first else { return names.isEmpty }
        if part == "**" {
            return fits(names, parts.dropFirst()) || (!names.isEmpty && fits(names.dropFirst(), parts))
        }
        guard let name = names.first, fits(Array(name.utf8)[...], Array(part.utf8)[...]) else { return false }
        return fits(names.dropFirst(), parts.dropFirst())
    }

    /// True if a name fits a pattern: the texts between its stars occur in the name, in their order.
    private static func fits(_ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == UInt8(ascii: "*") {
            return name.indices.contains { fits(name[$0...], pattern.dropFirst()) } || fits([], pattern.dropFirst())
        }
        return name.first == first && fits(name.dropFirst(), pattern.dropFirst())
    }
}
