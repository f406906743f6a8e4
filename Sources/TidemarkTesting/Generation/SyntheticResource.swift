/// Writes the resources of a synthetic log. The seed and an index determine an entity; the entity and a random number
/// determine an update. Nothing is remembered, so a stream of any length takes the same memory.
package struct SyntheticResource {
    let seed: UInt64
    let byteCountWanted: Int

    /// Makes a writer of resources.
    ///
    /// - Parameters:
    ///   - seed: The seed of the stream.
    ///   - byteCountWanted: The approximate size of a resource.
    package init(seed: UInt64, byteCountWanted: Int) {
        self.seed = seed
        self.byteCountWanted = byteCountWanted
    }

    /// Appends the id of an entity, hyphenated, in lower case.
    package func appendID(of entity: Int, to bytes: inout [UInt8]) {
        var random = SeededGenerator(seed: seed, index: UInt64(entity))
        bytes.append(uuid: random.next(), random.next())
    }

    /// Appends a whole resource.
    ///
    /// - Parameters:
    ///   - entity: The index of the entity.
    ///   - update: 0 for the first write; any other number changes the name, the tags or the size.
    ///   - bytes: The buffer to append to.
    package func append(_ entity: Int, update: UInt64, to bytes: inout [UInt8]) {
        let start = bytes.count
        var random = SeededGenerator(seed: seed, index: UInt64(entity))
        bytes.append("{\"id\":\"")
        bytes.append(uuid: random.next(), random.next())
        let kind = random.below(SyntheticWords.kinds.count)
        let traits = random.next()
        let changed = update == 0 ? 3 : Int(update % 3)
        bytes.append("\",\"name\":\"")
        appendName(of: entity, traits: changed == 0 ? update : traits, to: &bytes)
        bytes.append("\",\"kind\":\"")
        bytes.append(contentsOf: SyntheticWords.kinds[kind])
        bytes.append("\",\"size\":")
        bytes.append(decimal: Int((changed == 1 ? update : traits) >> 31))
        bytes.append(traits & 31 == 0 ? ",\"favorite\":true" : ",\"favorite\":false")
        appendTime("modified_at", update == 0 ? traits : update, to: &bytes)

        // Optional fields are added in this order while they fit into the wanted size; text fills the rest.
        func hasRoom(_ fieldByteCount: Int) -> Bool { bytes.count - start + fieldByteCount <= byteCountWanted }
        if hasRoom(80) { appendPath(of: entity, traits: traits, kind: kind, to: &bytes) }
        if hasRoom(50) { appendTags(changed == 2 ? update : traits, to: &bytes) }
        if hasRoom(160) { appendContent(kind: kind, &random, to: &bytes) }
        if hasRoom(46) { appendTime("created_at", traits, to: &bytes) }
        let rest = byteCountWanted - (bytes.count - start) - 12
        if rest > 0 { appendNotes(byteCount: rest, to: &bytes) }
        bytes.append("}")
    }

    /// Appends a part of the fields, for a merge: a new name and date, and one field of a nested object.
    package func appendPart(_ entity: Int, update: UInt64, to bytes: inout [UInt8]) {
        bytes.append("{\"id\":\"")
        appendID(of: entity, to: &bytes)
        bytes.append("\",\"name\":\"")
        appendName(of: entity, traits: update, to: &bytes)
        bytes.append("\"")
        appendTime("modified_at", update, to: &bytes)
        bytes.append(",\"content_identity\":{\"entry_count\":")
        bytes.append(decimal: Int(update % 9) + 1)
        bytes.append("}}")
    }

    private func appendName(of entity: Int, traits: UInt64, to bytes: inout [UInt8]) {
        appendWord(SyntheticWords.nouns, traits >> 8, to: &bytes)
        bytes.append("_")
        bytes.append(decimal: entity % 100_000, width: 5)
    }

    private func appendPath(of entity: Int, traits: UInt64, kind: Int, to bytes: inout [UInt8]) {
        bytes.append(",\"path\":\"")
        appendWord(SyntheticWords.folders, traits >> 24, to: &bytes)
        appendName(of: entity, traits: traits, to: &bytes)
        bytes.append(".")
        bytes.append(contentsOf: SyntheticWords.extensions[kind])
        bytes.append("\",\"extension\":\"")
        bytes.append(contentsOf: SyntheticWords.extensions[kind])
        bytes.append("\"")
    }

    private func appendTags(_ traits: UInt64, to bytes: inout [UInt8]) {
        bytes.append(",\"tags\":[")
        for index in 0..<(traits >> 4 & 3) {
            bytes.append(index == 0 ? "\"" : ",\"")
            // The step is five words, so that no resource has a tag twice.
            appendWord(SyntheticWords.tags, (traits >> 48) &+ index &* 5, to: &bytes)
            bytes.append("\"")
        }
        bytes.append("]")
    }

    private func appendContent(kind: Int, _ random: inout SeededGenerator, to bytes: inout [UInt8]) {
        bytes.append(",\"content_identity\":{\"uuid\":\"")
        bytes.append(uuid: random.next(), random.next())
        bytes.append("\",\"kind\":\"")
        bytes.append(contentsOf: SyntheticWords.kinds[kind])
        bytes.append("\",\"integrity_hash\":\"")
        bytes.append(hex: random.next())
        bytes.append(hex: random.next())
        bytes.append("\",\"entry_count\":")
        bytes.append(decimal: random.below(3) + 1)
        bytes.append("}")
    }

    private func appendTime(_ name: StaticString, _ traits: UInt64, to bytes: inout [UInt8]) {
        bytes.append(",\"")
        bytes.append(name)
        bytes.append("\":\"")
        // The date is within two years from November 2023.
        bytes.append(timestamp: 1_700_000_000 + Int(traits >> 38), microseconds: Int(traits & 0xF_FFFF) % 1_000_000)
        bytes.append("\"")
    }

    private func appendNotes(byteCount: Int, to bytes: inout [UInt8]) {
        bytes.append(",\"notes\":\"")
        let end = bytes.count + byteCount
        while bytes.count < end { bytes.append(contentsOf: SyntheticWords.prose.prefix(end - bytes.count)) }
        bytes.append("\"")
    }

    private func appendWord(_ words: [[UInt8]], _ traits: UInt64, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: words[Int(traits & 0xFFFF) % words.count])
    }
}
