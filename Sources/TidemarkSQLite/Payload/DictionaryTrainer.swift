#if TIDEMARK_ZSTD
    import CZstd
#endif
import TidemarkModel
import TidemarkStore

/// Collects payloads of types without a dictionary, and trains one when there are enough.
///
/// A type gets its dictionary once, with the flush whose rows bring its samples to ``sampleCountMin``: with fewer, a
/// dictionary of 16 KiB mostly memorizes its samples. Training takes about 0.04 s for a type, before the flush's rows
/// are written, so that they already use the dictionary. At ``dictionaryCountMax`` dictionaries or
/// ``sampleByteCountMax`` waiting bytes, the trainer stops collecting; rows of other types are compressed without a
/// dictionary.
struct DictionaryTrainer {
    /// The size of a dictionary: 16 KiB.
    static let dictionaryByteCount = 16 << 10
    /// The size of the segments from which a dictionary is assembled: 537 bytes, which zstd's own search found best of
    /// five sizes for payloads of 400 to 500 bytes. A search at each training takes about four times as long, and saves
    /// at most 0.4 %.
    ///
    /// - Source: docs/decisions/0005-data-file.md.
    static let segmentByteCount = 537
    /// The number of samples that a type needs: 1,000.
    static let sampleCountMin = 1_000
    /// The most samples that a training uses: 4,000, spread over the flush's payloads.
    static let sampleCountMax = 4_000
    /// The most bytes of a sample. Longer payloads are not sampled, since they compress well by themselves.
    static let sampleByteLengthMax = 8 << 10
    /// The most bytes of waiting samples, over all types: 8 MiB.
    static let sampleByteCountMax = 8 << 20
    /// The most dictionaries in a file: 64. Each takes about 200 KiB of memory in a writer.
    static let dictionaryCountMax = 64

    /// The payloads of one type, one after another, and the size of each.
    private struct Samples {
        var bytes: [UInt8] = []
        var sizes: [Int] = []
    }

    private let compression: DataCompression
    private let sampleCountMin: Int
    /// The samples of types that do not have enough yet.
    private var waiting: [TypeIndex: Samples] = [:]
    private var waitingByteCount = 0
    /// The types whose training failed. It is not tried again in this process.
    private var refused: Set<TypeIndex> = []

    /// - Parameters:
    ///   - compression: How the dictionaries will be used.
    ///   - sampleCountMin: The number of samples that a type needs before it gets a dictionary.
    init(_ compression: DataCompression = .standard, sampleCountMin: Int = DictionaryTrainer.sampleCountMin) {
        self.compression = compression
        self.sampleCountMin = sampleCountMin
    }

    /// Collects samples from a flush, and trains dictionaries for the types that have enough.
    ///
    /// - Parameter dictionaryTypes: The types that have a dictionary.
    /// - Returns: New dictionaries, by type. The caller keeps them only if its transaction commits, and then calls
    ///   ``forget(_:)``; otherwise the samples remain for the next try.
    /// - Complexity: O(rows) when a type lacks a dictionary, plus training.
    mutating func dictionaries(
        for flush: FlushBatch, dictionaryTypes: Set<TypeIndex>, encoder: PayloadEncoder
    ) -> [TypeIndex: [UInt8]] {
        guard dictionaryTypes.count < DictionaryTrainer.dictionaryCountMax else { return [:] }
        var counts: [TypeIndex: Int] = [:]
        var lastType: TypeIndex?
        var lastCount = 0
        for row in flush.rows where row.payloadCount > 0 {
            if row.type != lastType {
                if let lastType { counts[lastType, default: 0] += lastCount }
                lastType = row.type
                lastCount = 0
            }
            lastCount += 1
        }
        if let lastType { counts[lastType, default: 0] += lastCount }
        for type in counts.keys where dictionaryTypes.contains(type) || refused.contains(type) {
            counts[type] = nil
        }
        guard !counts.isEmpty else { return [:] }
        collect(flush, counts: counts, encoder: encoder)

        var result: [TypeIndex: [UInt8]] = [:]
        let room = DictionaryTrainer.dictionaryCountMax - dictionaryTypes.count
        for type in counts.keys.sorted().prefix(room) {
            guard let samples = waiting[type], samples.sizes.count >= sampleCountMin else { continue }
            if let dictionary = DictionaryTrainer.train(samples.bytes, sizes: samples.sizes, for: compression) {
                result[type] = dictionary
            } else {
                refused.insert(type)
                drop(type)
            }
        }
        return result
    }

    /// Returns the number of samples that the type's dictionary was trained from, until ``forget(_:)`` drops them.
    func sampleCount(of type: TypeIndex) -> Int { waiting[type]?.sizes.count ?? 0 }

    /// Drops the samples of types that now have a dictionary.
    mutating func forget(_ types: some Sequence<TypeIndex>) {
        for type in types { drop(type) }
    }

    // MARK: Steps

    private mutating func drop(_ type: TypeIndex) {
        guard let samples = waiting.removeValue(forKey: type) else { return }
        waitingByteCount -= samples.bytes.count
    }

    private mutating func collect(_ flush: FlushBatch, counts: [TypeIndex: Int], encoder: PayloadEncoder) {
        var seen: [TypeIndex: Int] = [:]
        flush.bytes.withUnsafeBytes { bytes in
            for row in flush.rows where row.payloadCount > 0 {
                guard let count = counts[row.type], row.payloadCount <= DictionaryTrainer.sampleByteLengthMax else {
                    continue
                }
                let position = seen[row.type, default: 0]
                seen[row.type] = position + 1
                let stride = max(1, count / DictionaryTrainer.sampleCountMax)
                guard position % stride == 0, waitingByteCount < DictionaryTrainer.sampleByteCountMax,
                    waiting[row.type]?.sizes.count ?? 0 < DictionaryTrainer.sampleCountMax
                else { continue }
                let sample = encoder.sample(
                    row.payload(in: bytes), id: row.id(in: bytes), isUUID: row.isUUID)
                waiting[row.type, default: Samples()].bytes.append(contentsOf: sample)
                waiting[row.type, default: Samples()].sizes.append(sample.count)
                waitingByteCount += sample.count
            }
        }
    }

    /// Trains a dictionary; nil when nothing repeats.
    static func train(
        _ samples: [UInt8], sizes: [Int], for compression: DataCompression = .standard
    ) -> [UInt8]? {
        #if TIDEMARK_ZSTD
            if compression == .zstd { return trainForZstd(samples, sizes: sizes) }
        #endif
        let mark = PayloadDictionary.segmentsMark
        return SegmentTrainer.train(samples, sizes: sizes, byteCount: dictionaryByteCount - mark.count)
            .map { mark + $0 }
    }

    #if TIDEMARK_ZSTD
        private static func trainForZstd(_ samples: [UInt8], sizes: [Int]) -> [UInt8]? {
            var parameters = ZDICT_fastCover_params_t()
            parameters.k = UInt32(segmentByteCount)
            parameters.d = 8
            parameters.f = 20
            parameters.accel = 1
            parameters.splitPoint = 1
            var count = 0
            let dictionary = [UInt8](unsafeUninitializedCapacity: dictionaryByteCount) { buffer, initializedCount in
                let result = ZDICT_trainFromBuffer_fastCover(
                    buffer.baseAddress, dictionaryByteCount, samples, sizes, UInt32(sizes.count), parameters)
                count = ZDICT_isError(result) == 0 ? result : 0
                initializedCount = count
            }
            return count == 0 ? nil : dictionary
        }
    #endif
}
