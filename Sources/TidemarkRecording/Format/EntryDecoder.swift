import Foundation
import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// Decodes lines of a recording into steps.
///
/// Use a decoder from one task at a time.
package final class EntryDecoder {
    private let decoder: EventDecoder
    private let reader: RequestReader
    private let limits: Limits

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - limits: The limits of the recorded cache, with which it read its input.
    ///   - defaultLibrary: The recorded cache's library for lines that name none.
    /// - Throws: ``/TidemarkWire/WireError``.
    package init(limits: Limits, defaultLibrary: ByteString) throws(WireError) {
        decoder = try EventDecoder(limits: limits)
        reader = RequestReader(limits: limits, defaultLibrary: defaultLibrary)
        self.limits = limits
    }

    /// Decodes a line after the first.
    ///
    /// - Throws: ``/Tidemark/CacheError`` that describes the mistake in the line.
    package func line(_ value: JSONSlice) throws(CacheError) -> RecordingLine {
        let params = try Params(value, path: "the line")
        if let base = params.value("base")?.text {
            guard let bytes = Data(base64Encoded: Data(base)) else { throw params.wrong("base", "bytes in base 64") }
            return .base([UInt8](bytes))
        }
        if params.holds("end") {
            return .end(reason: try params.text("reason", byteCountMax: .max)?.description ?? "")
        }
        let name = try params.requiredText("step").description
        guard let at = try params.integer("at", in: Int64.min...Int64.max) else {
            throw params.wrong("at", "milliseconds since 1970")
        }
        return .entry(try step(name, params), at: at, outcome: try params.object("outcome") ?? Array("{}".utf8))
    }

    private func step(_ name: String, _ params: Params) throws(CacheError) -> RecordedStep {
        switch name {
        case "lines":
            let input = InputID(UInt32(clamping: try params.integer("input", in: 0...Int64(UInt32.max)) ?? 0))
            let batches = try batches(params, input: input)
            guard batches.count == 1, let batch = batches.first else {
                throw params.wrong("lines", "lines that follow each other")
            }
            return .lines(batch, events: 0..<batch.events.count)
        case "gaps":
            switch try params.requiredText("patience") {
            case "none": return .gaps(.none)
            case "window": return .gaps(.window)
            case "endless": return .gaps(.endless)
            default: throw params.wrong("patience", "none, window or endless")
            }
        case "answer":
            return .answer(
                library: try library(params), attempt: try number("attempt", params), random: try random(params),
                events: try batches(params, input: InputID(0)), coveredThrough: try params.sequence("covered_through"))
        case "failure":
            return .failure(
                library: try library(params), attempt: try number("attempt", params), random: try random(params),
                isFinal: try params.flag("final"),
                message: try params.text("message", byteCountMax: .max)?.description ?? "")
        case "resumption":
            return .resumption(library: try library(params), attempt: try number("attempt", params))
        case "postponement":
            return .postponement(library: try library(params), attempt: try number("attempt", params))
        case "healing": return .healing(library: try library(params))
        case "removal": return .removal(try keys("keys", params))
        case "clearing": return .clearing(library: try params.text("library_id"))
        case "fetch": return .fetch(try number("fetch", params), library: try library(params))
        case "fetch_end": return .fetchEnd(try number("fetch", params))
        case "attempt":
            return .attempt(
                try params.requiredText("pending_id"), members: try params.texts("members", countMax: .max) ?? [])
        case "attempt_failure": return .attemptFailure(try params.requiredText("pending_id"))
        case "request_failure":
            return .requestFailure(
                try params.requiredText("pending_id"),
                MutationFailure(
                    code: try params.text("code"), message: try params.text("message", byteCountMax: .max) ?? ""))
        case "quarantine_retry": return .quarantineRetry(try record(params))
        case "leaving":
            var queries: [QueryKey] = []
            for element in try params.elements("queries", countMax: .max) ?? [] {
                queries.append(try reader.query(Params(element, path: "queries")))
            }
            return .leaving(
                evicted: try keys("evicted", params), reduced: try keys("reduced", params), queries: queries)
        default: return try request(name, params)
        }
    }

    private func request(_ name: String, _ params: Params) throws(CacheError) -> RecordedStep {
        switch name {
        case "transaction":
            var expecting = try reader.expectations(params)
            for element in try params.elements("expected", countMax: .max) ?? [] {
                let entity = try Params(element, path: "expected")
                expecting.resources.updateValue(try entity.object("resource"), forKey: try reader.key(entity))
            }
            return .transaction(
                try reader.operations(params), library: try reader.library(params), expecting: expecting)
        case "result":
            return .result(
                try QueryResult(params, limits: limits), try reader.query(params), fetch: try fetchNumber(params))
        case "renewal":
            return .renewal(
                try QueryResult(params, limits: limits), try reader.query(params),
                asOf: try params.sequence("stored_as_of"), fetch: try fetchNumber(params))
        case "deletion":
            guard let key = try keys("keys", params).first else { throw params.wrong("keys", "the key of an entity") }
            return .deletion(key, asOf: try params.sequence("as_of"), fetch: try fetchNumber(params))
        case "document": return .document(try document(params))
        case "invalidation": return .invalidation(try reader.invalidation(params))
        case "update": return .update(try reader.update(params))
        case "commit":
            // Without an id it is a late response, which only adds real ids.
            var commit = try reader.commit(params, pendingID: try params.text("pending_id") ?? "")
            commit.generation = try params.integer("generation", in: 0...Int64(UInt32.max)).map { UInt32($0) }
            return .commit(commit)
        case "rollback":
            return .rollBack(try params.requiredText("pending_id"), library: try params.text("library_id"))
        case "retry":
            return .retry(try params.requiredText("pending_id"), library: try params.text("library_id"))
        default:
            throw CacheError(.invalidParams, "the step '\(name)' is not known: use a newer tidemark")
        }
    }

    // MARK: Parts

    private func record(_ params: Params) throws(CacheError) -> QuarantineRecord {
        guard let reason = try params.text("reason").flatMap({ QuarantineReason(code: $0.description) }) else {
            throw params.wrong("reason", "a reason of Protocol/errors.md")
        }
        let bytes = try params.text("text", byteCountMax: .max)?.bytes ?? []
        return QuarantineRecord(
            number: try params.integer("number", in: 0...Int64.max), kind: .line, reason: reason,
            line: try params.integer("line", in: 0...Int64.max) ?? 0,
            offset: try params.integer("offset", in: 0...Int64.max) ?? 0, library: nil, sequence: nil,
            receivedAt: try params.integer("received_at", in: Int64.min...Int64.max) ?? 0, bytes: bytes,
            byteCount: bytes.count)
    }

    private func document(_ params: Params) throws(CacheError) -> FieldResponse {
        var entities: [FieldResponse.Entity] = []
        for element in try params.elements("entities", countMax: .max) ?? [] {
            let entity = try Params(element, path: "entities")
            guard let resource = try entity.object("resource") else { throw entity.wrong("resource", "an object") }
            entities.append(FieldResponse.Entity(key: try reader.key(entity), resource: resource))
        }
        var roots: [FieldResponse.Root] = []
        for element in try params.elements("roots", countMax: .max) ?? [] {
            let root = try Params(element, path: "roots")
            let input = root.value("input").map { ByteString($0.bytes) } ?? "{}"
            var list: FieldResponse.List?
            if let text = root.value("membership").map({ Array($0.bytes) }) {
                do throws(MembershipError) {
                    list = FieldResponse.List(membership: try Membership(json: text), text: text, elements: [])
                } catch {
                    throw CacheError(.invalidParams, "membership: \(error.message)")
                }
                list?.elements = try keys("keys", root)
            }
            roots.append(
                FieldResponse.Root(
                    name: RootName(method: try root.requiredText("method"), input: input),
                    types: try root.texts("types", countMax: .max) ?? [], list: list))
        }
        var answer = FieldResponse(
            library: try library(params), entities: entities, roots: roots, asOf: try params.sequence("as_of"),
            settledLayer: try params.text("pending_id"))
        answer.fetch = try fetchNumber(params)
        let integers = reader.integerIDs(params)
        answer.realIDs = try reader.realIDs(params).sorted { $0.key < $1.key }.map {
            LayerConfirmation.RealID(temporary: $0.key, real: $0.value, isInteger: integers.contains($0.key))
        }
        answer.isMutation = try params.flag("mutation")
        return answer
    }

    private func fetchNumber(_ params: Params) throws(CacheError) -> UInt64? {
        try params.integer("fetch", in: 0...Int64.max).map { UInt64($0) }
    }

    private func library(_ params: Params) throws(CacheError) -> ByteString {
        guard let library = try params.text("library_id") else { throw params.wrong("library_id", "a library") }
        return library
    }

    private func number(_ name: String, _ params: Params) throws(CacheError) -> UInt64 {
        guard let number = try params.integer(name, in: 0...Int64.max) else { throw params.wrong(name, "a number") }
        return UInt64(number)
    }

    private func random(_ params: Params) throws(CacheError) -> Double {
        guard let value = params.value("random"), let random = Double(String(decoding: value.bytes, as: UTF8.self)),
            random >= 0, random < 1
        else { throw params.wrong("random", "a number from 0 to 1") }
        return random
    }

    private func keys(_ name: String, _ params: Params) throws(CacheError) -> [EntityKey] {
        var keys: [EntityKey] = []
        for element in try params.elements(name, countMax: .max) ?? [] {
            keys.append(try reader.key(Params(element, path: name)))
        }
        return keys
    }

    // MARK: Lines

    /// Decodes recorded input lines. Consecutive lines become one batch; a line that was too long gets a batch of its
    /// own.
    private func batches(_ params: Params, input: InputID) throws(CacheError) -> [EventBatch] {
        let origin = try origin(params)
        var batches: [EventBatch] = []
        var block: LineBlock?
        for element in try params.elements("lines", countMax: .max) ?? [] {
            let line = try KeptLine(Params(element, path: "lines"))
            if let wholeByteCount = line.wholeByteCount {
                if let block { batches.append(try decode(block, origin)) }
                var alone = LineBlock(line, input: input)
                alone.tooLongByteCount = wholeByteCount
                batches.append(try decode(alone, origin))
                block = nil
            } else if block?.append(line) != true {
                if let block { batches.append(try decode(block, origin)) }
                block = LineBlock(line, input: input)
            }
        }
        if let block { batches.append(try decode(block, origin)) }
        return batches
    }

    private func origin(_ params: Params) throws(CacheError) -> LineOrigin {
        switch try params.text("origin") {
        case nil: .producer
        case "log": .log
        case "reader": .reader
        default: throw params.wrong("origin", "log or reader")
        }
    }

    private func decode(_ block: LineBlock, _ origin: LineOrigin) throws(CacheError) -> EventBatch {
        var block = block
        block.bytes += repeatElement(0, count: LineBlock.paddingByteCount)
        do throws(WireError) {
            return try decoder.decode(block, origin: origin)
        } catch {
            throw CacheError(.limitExceeded, "no memory to read \(block.byteCount) bytes")
        }
    }
}

/// One line of input as a recording stores it.
private struct KeptLine {
    var number: Int64
    var offset: Int64
    var bytes: [UInt8]
    var wholeByteCount: Int?

    init(_ params: Params) throws(CacheError) {
        guard let number = try params.integer("line", in: 0...Int64.max) else {
            throw params.wrong("line", "the line's number")
        }
        self.number = number
        offset = try params.integer("offset", in: 0...Int64.max) ?? 0
        wholeByteCount = try params.integer("byte_count", in: 0...Int64.max).map { Int($0) }
        if let json = params.value("json") {
            bytes = Array(json.bytes)
        } else if let text = params.value("text")?.text {
            bytes = text
        } else if let text = params.value("base64")?.text, let decoded = Data(base64Encoded: Data(text)) {
            bytes = [UInt8](decoded)
        } else if params.holds("json") {
            bytes = Array("null".utf8)
        } else {
            throw params.wrong("json", "the line, as json, text or base64")
        }
    }
}

extension LineBlock {
    fileprivate init(_ line: KeptLine, input: InputID) {
        self.init(
            bytes: line.bytes, byteCount: line.bytes.count,
            lines: [EventBatch.LineSpan(offset: 0, count: UInt32(line.bytes.count))], input: input,
            firstLine: line.number, firstOffset: line.offset)
    }

    /// Appends a line, with what was between it and the line before.
    ///
    /// - Returns: False if the line does not follow the existing lines; nothing is then appended.
    fileprivate mutating func append(_ line: KeptLine) -> Bool {
        let offset = line.offset - firstOffset
        guard line.number == firstLine + Int64(lines.count), offset > Int64(byteCount),
            offset + Int64(line.bytes.count) < Int64(UInt32.max), offset - Int64(byteCount) < 1 << 16
        else { return false }
        // The bytes between the two lines: they ended the first one.
        bytes += repeatElement(0x0A, count: Int(offset) - byteCount)
        bytes += line.bytes
        byteCount = bytes.count
        lines.append(EventBatch.LineSpan(offset: UInt32(offset), count: UInt32(line.bytes.count)))
        return true
    }
}
