import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension ResponseParts {
    /// Converts a response in parts, as far as it has arrived.
    ///
    /// The payloads have been checked one by one, so their text is not parsed again.
    ///
    /// - Throws: ``ResponseError`` if `data` is neither an object nor null, or if neither `data` nor errors have
    ///   arrived.
    /// - Complexity: O(response).
    init(_ answer: IncrementalResponse) throws(ResponseError) {
        try ResponseParts.checkResponse(saysData: answer.hasData, saysErrors: answer.hasErrors)
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
    /// Returns the states, with the failed fragments marked as failed.
    func failing(_ failed: [ResponseParts.FailedFragment]) -> [DeferredState] {
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

    /// Returns the states after the delivery broke off: every pending fragment has failed.
    var ended: [DeferredState] {
        map { state in
            var state = state
            if state.state == .pending { state.state = .failed }
            return state
        }
    }
}
