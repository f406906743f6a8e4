/// The vocabulary of synthetic resources. Changing a word changes every stream: the tests pin a digest.
enum SyntheticWords {
    static let nouns = words(
        "anchor basin canyon drift estuary fjord glacier heron inlet jetty kelp lagoon mangrove narrows otter pier "
            + "quay reef shoal tern upwell vessel wharf yawl")
    static let folders = words("Archive Camera Documents Exports Music Projects Scans Shared")
    static let owners = words("amelie bo chandra dmitri")
    static let tags = words("blue draft family green invoice keep print red review trip 2024 2025")
    static let kinds = words("image video document audio archive code")
    /// By the index of the kind.
    static let extensions = words("jpg mp4 pdf flac zip swift")
    private static let types = words("file location tag album device volume space note")

    /// - Returns: The name of resource type `index`; the first ones are words.
    static func type(_ index: Int) -> [UInt8] {
        index < types.count ? types[index] : Array("custom_\(index)".utf8)
    }

    private static func words(_ text: String) -> [[UInt8]] {
        text.split(separator: " ").map { Array($0.utf8) }
    }
}
