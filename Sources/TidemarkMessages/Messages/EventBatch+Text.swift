import TidemarkModel

extension EventBatch {
    /// Returns the line of an event, or the part of it that was kept.
    package func text(of event: ChangeEvent) -> ArraySlice<UInt8> {
        let span = lines[Int(event.line)]
        return block[Int(span.offset)..<Int(span.offset + span.count)]
    }
}
