import Foundation
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension RecordedEntry {
    /// The entry as one line of a recording, without an LF.
    ///
    /// - Source: Protocol/recordings.md, steps.
    package var line: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("step", Optional(step.name))
            line.member("at", at)
            line.step(step)
            if let took = took { line.member("took", Optional(took)) }
            line.member("outcome", json: Optional(outcome.json))
            if toldCount > 0 { line.member("told", toldCount) }
        }
        return line.bytes
    }

    /// What happened to the event, in one word for people; nil when the step is not about an event.
    private var took: ByteString? {
        guard case .lines(let batch, let events) = step, let index = events.first else { return nil }
        if batch.origin == .reader { return nil }
        let event = batch.events[index]
        if event.kind == .message { return "message" }
        if let reason = event.reason { return ByteString("quarantined: \(reason.code)") }
        if outcome.counts.quarantined > 0 { return "quarantined" }
        if outcome.counts.duplicate > 0 { return "duplicate" }
        if outcome.counts.ignored > 0 { return "ignored" }
        return outcome.counts.applied > 0 ? "applied" : "held"
    }
}

extension RecordedStep {
    /// The name of the step in the member `step`.
    package var name: ByteString {
        switch self {
        case .lines: "lines"
        case .gaps: "gaps"
        case .answer: "answer"
        case .failure: "failure"
        case .resumption: "resumption"
        case .postponement: "postponement"
        case .healing: "healing"
        case .transaction: "transaction"
        case .removal: "removal"
        case .clearing: "clearing"
        case .fetch: "fetch"
        case .fetchEnd: "fetch_end"
        case .result: "result"
        case .renewal: "renewal"
        case .deletion: "deletion"
        case .document: "document"
        case .invalidation: "invalidation"
        case .update: "update"
        case .commit: "commit"
        case .rollBack: "rollback"
        case .attempt: "attempt"
        case .attemptFailure: "attempt_failure"
        case .requestFailure: "request_failure"
        case .retry: "retry"
        case .quarantineRetry: "quarantine_retry"
        case .leaving: "leaving"
        }
    }
}

extension JSONLine {
    fileprivate mutating func step(_ step: RecordedStep) {
        switch step {
        case .lines(let batch, let events):
            member("input", batch.input.rawValue)
            origin(batch.origin)
            name("lines")
            array { line in line.lines(of: batch, batch.lines(of: events)) }
        case .gaps(let patience):
            member("patience", Optional(patience.name))
        case .answer(let library, let attempt, let random, let events, let coveredThrough):
            attempted(library, attempt)
            member("random", json: Optional(Array("\(random)".utf8)))
            member("covered_through", coveredThrough)
            origin(events.first?.origin ?? .producer)
            name("lines")
            array { line in
                for batch in events { line.lines(of: batch, batch.lines.indices) }
            }
        case .failure(let library, let attempt, let random, let isFinal, let message):
            attempted(library, attempt)
            member("random", json: Optional(Array("\(random)".utf8)))
            member("final", isFinal)
            member("message", Optional(ByteString(message)))
        case .resumption(let library, let attempt), .postponement(let library, let attempt):
            attempted(library, attempt)
        case .transaction, .result, .renewal, .deletion, .document, .invalidation, .update, .commit, .rollBack,
            .retry:
            request(step)
        case .removal(let keys):
            name("keys")
            array { $0.keys(keys) }
        case .clearing(let library):
            member("library_id", library)
        case .healing(let library):
            member("library_id", Optional(library))
        case .fetch(let number, let library):
            member("fetch", number)
            member("library_id", Optional(library))
        case .fetchEnd(let number):
            member("fetch", number)
        case .attempt(let pendingID, let members):
            member("pending_id", Optional(pendingID))
            texts("members", members)
        case .attemptFailure(let pendingID):
            member("pending_id", Optional(pendingID))
        case .requestFailure(let pendingID, let failure):
            member("pending_id", Optional(pendingID))
            member("message", Optional(failure.message))
            if let code = failure.code { member("code", Optional(code)) }
        case .quarantineRetry(let record):
            member("number", json: record.number.map { Array("\($0)".utf8) })
            member("line", record.line)
            member("offset", record.offset)
            member("reason", Optional(ByteString(record.reason.code)))
            member("received_at", record.receivedAt)
            // Only a line that is valid JSON is read again, so it is UTF-8.
            member("text", Optional(ByteString(record.bytes)))
        case .leaving(let evicted, let reduced, let queries):
            name("evicted")
            array { $0.keys(evicted) }
            name("reduced")
            array { $0.keys(reduced) }
            name("queries")
            array { line in
                for query in queries { line.object { $0.query(query) } }
            }
        }
    }

    private mutating func attempted(_ library: ByteString, _ attempt: UInt64) {
        member("library_id", Optional(library))
        member("attempt", attempt)
    }

    mutating func keys(_ keys: [EntityKey]) {
        for key in keys {
            object { line in
                line.member("library_id", Optional(key.library))
                line.member("resource_type", Optional(key.type))
                line.member("id", Optional(key.id))
            }
        }
    }

    mutating func query(_ key: QueryKey) {
        member("library_id", Optional(key.library))
        member("method", Optional(key.method))
        member("input", json: Optional(key.input.bytes))
    }

    // MARK: Lines

    private mutating func origin(_ origin: LineOrigin) {
        switch origin {
        case .producer: break
        case .log: member("origin", Optional(ByteString("log")))
        case .reader: member("origin", Optional(ByteString("reader")))
        }
    }

    /// Appends lines as received: as JSON if they are JSON without extra white space, as text if they are UTF-8, else
    /// in base64.
    private mutating func lines(of batch: EventBatch, _ lines: Range<Int>) {
        let unusable = Set(batch.events.lazy.filter { $0.kind == .unusable }.map(\.line))
        for index in lines {
            let span = batch.lines[index]
            let bytes = batch.block[Int(span.offset)..<Int(span.offset) + Int(span.count)]
            object { line in
                line.member("line", batch.firstLine + Int64(index))
                line.member("offset", batch.firstOffset + Int64(span.offset))
                if let whole = batch.wholeByteCounts[UInt32(index)] { line.member("byte_count", whole) }
                let isJSON = !bytes.isEmpty && !unusable.contains(UInt32(index)) && !batch.isBlank(index)
                if isJSON, let withheld = WithheldMessage.line(for: bytes) {
                    line.member("json", json: Optional(withheld))
                } else if isJSON, JSONSlice(validated: bytes).bytes.count == bytes.count {
                    line.member("json", json: Optional(Array(bytes)))
                } else if let text = String(validating: bytes, as: UTF8.self) {
                    line.member("text", Optional(ByteString(text)))
                } else {
                    line.member("base64", Optional(ByteString(Data(bytes).base64EncodedString())))
                }
            }
        }
    }
}

extension CacheState.GapPatience {
    /// The value of the member `patience` in a recording.
    package var name: ByteString {
        switch self {
        case .none: "none"
        case .window: "window"
        case .endless: "endless"
        }
    }
}

extension RecordedOutcome {
    /// The outcome as JSON. A replay compares it byte by byte with the recorded one.
    package var json: [UInt8] {
        var line = JSONLine()
        line.object { line in
            for (name, count) in bins where count != 0 { line.member(name, count) }
            if !libraries.isEmpty { line.places(libraries) }
            if !requests.isEmpty {
                line.name("asked")
                line.array { line in
                    for request in requests {
                        line.object { line in
                            line.member("library_id", Optional(request.library))
                            line.member("attempt", request.attempt)
                            if let sequence = request.sequence { line.member("sequence", Optional(sequence)) }
                            if let milliseconds = request.milliseconds { line.member("wait", milliseconds) }
                        }
                    }
                }
            }
            if let pendingCount { line.member("pending", pendingCount) }
            if let refusal { line.member("refused", Optional(ByteString(refusal))) }
        }
        return line.bytes
    }

    private var bins: [(ByteString, Int64)] {
        [
            ("applied", counts.applied), ("duplicate", counts.duplicate), ("ignored", counts.ignored),
            ("quarantined", counts.quarantined), ("held", counts.held),
            ("members_quarantined", counts.membersQuarantined), ("reconciled", counts.reconciled),
            ("late", counts.late),
            ("blank", counts.blank), ("control", counts.control), ("messages", counts.messages),
        ]
    }
}

extension JSONLine {
    /// Appends the positions of libraries in the form of every answer, but without ranges that were lost earlier.
    fileprivate mutating func places(_ places: [RecordedOutcome.Place]) {
        name("libraries")
        object { line in
            for place in places {
                line.name(place.library)
                line.object { line in
                    line.member("epoch", Optional(place.epoch))
                    line.member("sequence", place.sequence)
                    line.member("state", Optional(ByteString(place.phase.rawValue)))
                    if let lost = place.lost { line.lost(lost) }
                }
            }
        }
    }
}
