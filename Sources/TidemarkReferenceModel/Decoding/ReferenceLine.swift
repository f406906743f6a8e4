/// The kind of one line: exactly one of the bins of the conservation law.
package enum ReferenceLine: Equatable, Sendable {
    case blank
    case control
    case message
    case event(ReferenceEvent)
    case rejected(ReferenceRejection)
}
