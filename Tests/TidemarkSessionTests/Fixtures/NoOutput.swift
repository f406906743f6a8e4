import Tidemark
import TidemarkMessages

/// An output that takes everything and keeps nothing.
final class NoOutput: SessionOutput {
    var observerRefusal: CacheError? { nil }
    var answerByteCountMax: Int { .max }

    func append(answer line: [UInt8]) {}
    func waitForRoom() async {}
    func offer(_ notification: CacheNotification) -> Bool { true }
    func deliver(_ notification: CacheNotification) {}
}
