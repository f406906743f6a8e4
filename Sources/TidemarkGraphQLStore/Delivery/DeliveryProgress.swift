import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkWire

extension AnswerParts {
    /// Gives an answer as it has come so far.
    ///
    /// The payloads were checked one by one, so their text is not read again.
    ///
    /// - Throws: ``AnswerFault`` when `data` is neither an object nor null, and when neither it nor errors have come.
    /// - Complexity: O(answer).
    init(_ answer: IncrementalAnswer) throws(AnswerFault) {
        try AnswerParts.checkResponse(saysData: answer.hasData, saysErrors: answer.hasErrors)
        guard answer.data.isNull || answer.data.members != nil else { throw .dataIsNoObject }
        let slice = { (value: JSONValue) in JSONSlice(compact: value.bytes[...]) }
        self.init(
            data: answer.data.bytes, errors: answer.errors.isEmpty ? nil : slice(.array(answer.errors)),
            extensions: answer.extensions.isEmpty ? nil : slice(.object(answer.extensions)), hasNext: answer.hasNext)
        failedFragments = answer.failed.map { fragment in
            FailedFragment(
                path: JSONValue.array(fragment.path).bytes, label: fragment.label.map { ByteString($0) })
        }
    }
}

extension [DeferredState] {
    /// Returns the states with those of fragments that failed.
    func failing(_ failed: [AnswerParts.FailedFragment]) -> [DeferredState] {
        guard !failed.isEmpty else { return self }
        return map { state in
            guard state.state == .pending else { return state }
            var path = JSONLine()
            state.path.appendJSON(to: &path)
            let isFailed = failed.contains {
                $0.path == path.bytes && ($0.label == nil || $0.label == state.label)
            }
            var state = state
            if isFailed { state.state = .failed }
            return state
        }
    }

    /// Returns the states after the delivery has died: whatever did not come has failed.
    var ended: [DeferredState] {
        map { state in
            var state = state
            if state.state == .pending { state.state = .failed }
            return state
        }
    }
}
