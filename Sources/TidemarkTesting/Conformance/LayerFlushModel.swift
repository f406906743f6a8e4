import TidemarkModel
import TidemarkStore

/// The naive part of ``JournalConformance`` for layers: changes some, and remembers their content.
struct LayerFlushModel {
    private var layers: [Int64: LayerRecord] = [:]
    private var random: SeededGenerator
    /// The largest number of changes of a layer; most layers have few.
    private let changeCountMax: Int

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        changeCountMax = [1, 4, 30, 2_000][Int.random(in: 0..<4, using: &random)]
    }

    /// Adds random changes of layers to a flush.
    mutating func change(_ flush: inout FlushBatch, libraryCount: Int, typeCount: Int) {
        // After its file was created anew, a store writes all layers again, over those in the file.
        let isRewrite = Int.random(in: 0..<10, using: &random) == 0
        for number in layers.keys.sorted() {
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                layers[number] = nil
                flush.removedLayers.append(number)
            case 2:
                layers[number]?.isConfirmed = true
                layers[number]?.awaited = EventSequence(Int64.random(in: 0...Int64.max, using: &random))
                layers[number]?.awaitedGeneration = UInt32.random(in: 0...UInt32.max, using: &random)
                flush.layers += layers[number].map { [$0] } ?? []
            case 3:
                let renamed = record(number, libraryCount: libraryCount, typeCount: typeCount)
                layers[number] = renamed
                flush.layers.append(renamed)
            default:
                if isRewrite { flush.layers += layers[number].map { [$0] } ?? [] }
            }
        }
        // A layer that never existed, or was removed already.
        let last = layers.keys.max() ?? 0
        if Int.random(in: 0..<4, using: &random) == 0 { flush.removedLayers.append(last + 50) }
        // A removed layer's number may be used again if it is above all others, but not in the flush that removes the
        // layer.
        var next = last
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            next += Int64.random(in: 1...3, using: &random)
            guard !flush.removedLayers.contains(next) else { continue }
            layers[next] = record(next, libraryCount: libraryCount, typeCount: typeCount)
            flush.layers += layers[next].map { [$0] } ?? []
        }
        flush.layers.shuffle(using: &random)
    }

    /// Compares the layers of a recovered state with those that the flushes describe.
    ///
    /// - Returns: nil when they are equal.
    func difference(to recovered: RecoveredState) -> String? {
        let expected = layers.keys.sorted().compactMap { layers[$0] }
        if recovered.layers.map(\.number) != expected.map(\.number) {
            return "layers are \(recovered.layers.map(\.number)), not \(expected.map(\.number))"
        }
        for (found, wanted) in zip(recovered.layers, expected) where found != wanted {
            return "layer \(wanted.number) is \(found), not \(wanted)"
        }
        return nil
    }

    private mutating func record(_ number: Int64, libraryCount: Int, typeCount: Int) -> LayerRecord {
        let library = LibraryIndex(Int.random(in: 0..<libraryCount, using: &random))
        let changeCount = Int.random(in: 1...changeCountMax, using: &random)
        return LayerRecord(
            number: number, pendingID: name(countMax: 1_024), library: library,
            dependsOn: (0..<Int.random(in: 0...3, using: &random)).map { _ in name(countMax: 40) },
            createdAt: Int64.random(in: -1 << 60...1 << 60, using: &random),
            changes: (0..<changeCount).map { _ in change(library, typeCount: typeCount) },
            sending: Int.random(in: 0..<3, using: &random) == 0 ? sending() : nil)
    }

    private mutating func sending() -> LayerSending {
        var sending = LayerSending(MutationRequest(method: name(countMax: 40), compactInput: resource()))
        sending.request.key = name(countMax: 40)
        sending.attemptCount = Int.random(in: 0...1_000, using: &random)
        if Bool.random(using: &random) { sending.failure = MutationFailure(message: name(countMax: 100)) }
        if Bool.random(using: &random) { sending.sentWith = name(countMax: 100) }
        return sending
    }

    private mutating func change(_ library: LibraryIndex, typeCount: Int) -> LayerChange {
        let id: StoredID =
            Bool.random(using: &random)
            ? .uuid(UUIDValue(high: random.next(), low: random.next())) : .text(name(countMax: 30))
        let key = StoredKey(library: library, type: TypeIndex(Int.random(in: 0..<typeCount, using: &random)), id: id)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .put(key, resource: resource())
        case 1:
            let unset = (0..<Int.random(in: 0...3, using: &random)).map { _ in name(countMax: 9) }
            return .patch(key, fields: Bool.random(using: &random) ? resource() : [], unset: unset)
        case 2: return .removeField(key, name(countMax: 9))
        default: return .delete(key)
        }
    }

    /// Returns a resource that usually compresses well.
    private mutating func resource() -> [UInt8] {
        let text: [UInt8]
        switch Int.random(in: 0..<40, using: &random) {
        case 0: text = Array(repeating: 97, count: Int.random(in: 0...90_000, using: &random))
        case 1...5:
            text = random.bytes(Int.random(in: 0...300, using: &random), in: 0x5D...0xFF)
        default: text = Array("a name \(random.next() % 1_000)".utf8)
        }
        return Array(#"{"id":"1","size":1.10,"name":""#.utf8) + text + Array("\"}".utf8)
    }

    private mutating func name(countMax: Int) -> ByteString {
        ByteString(random.bytes(Int.random(in: 1...countMax, using: &random), in: 0...127))
    }
}
