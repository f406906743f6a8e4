/// What a line is: exactly one of the bins of the conservation law.
package enum ReferenceLine: Equatable, Sendable {
    /// A line without content.
    case blank
    /// A control line, which has no effect.
    case control
    /// A JSON-RPC message or a batch of messages.
    case message
    /// A usable event.
    case event(ReferenceEvent)
    /// An unusable line.
    case rejected(ReferenceLineError)
}
