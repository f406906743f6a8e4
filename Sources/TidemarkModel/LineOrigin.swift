/// Who wrote the envelopes of lines.
///
/// - Source: Protocol/jetstream.md, bodies and numbers.
package enum LineOrigin: Sendable {
    /// The producers of the events. An unusable line may be damaged anywhere, its number included.
    case producer
    /// The reader of a log, which puts each event into an envelope of its own. Library, number, `prev` and epoch are
    /// correct whatever the event is, so a line with an unusable event keeps its position.
    case log
    /// The reader of a log, which informs the cache that a log began anew or where it ends. This is not a line of the
    /// input: it has no number and is counted nowhere.
    case reader
}
