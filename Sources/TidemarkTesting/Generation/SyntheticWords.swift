/// The vocabulary of synthetic resources. Changing a word changes every stream; tests pin a digest.
enum SyntheticWords {
    static let nouns = words(
        "anchor basin canyon drift estuary fjord glacier heron inlet jetty kelp lagoon mangrove narrows otter pier "
            + "quay reef shoal tern upwell vessel wharf yawl")
    /// The folders of paths: few folders, with many files in each.
    static let folders: [[UInt8]] = ["amelie", "bo", "chandra", "dmitri"].flatMap { owner in
        ["Archive/2024", "Camera/Imported", "Documents", "Exports/Web", "Music", "Projects/Harbour", "Scans", "Shared"]
            .map { Array("/home/\(owner)/\($0)/".utf8) }
    }
    /// The text that fills a resource up to its size. It repeats, as descriptions and licences do.
    static let prose = Array(
        ("taken from the eastern pier at low water, with the boats lying dry and the ferry an hour late; kept for the "
            + "second print, not for the web; see the other exposures of the same evening before throwing any away. ")
            .utf8)
    static let tags = words("blue draft family green invoice keep print red review trip 2024 2025")
    static let kinds = words("image video document audio archive code")
    /// The file extensions, by the index of the kind.
    static let extensions = words("jpg mp4 pdf flac zip swift")
    private static let types = words("file location tag album device volume space note")

    /// Returns the name of a resource type; the first ones are words.
    static func type(_ index: Int) -> [UInt8] {
        index < types.count ? types[index] : Array("custom_\(index)".utf8)
    }

    private static func words(_ text: String) -> [[UInt8]] {
        text.split(separator: " ").map { Array($0.utf8) }
    }
}
