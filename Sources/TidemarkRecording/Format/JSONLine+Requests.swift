import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Appends requests in the form in which hosts send them, as Protocol/sessions.md describes.
extension JSONLine {
    mutating func request(_ step: RecordedStep) {
        switch step {
        case .transaction(let operations, let library, let expecting):
            member("library_id", Optional(library))
            name("operations")
            array { line in
                for (index, operation) in operations.enumerated() {
                    line.object { line in
                        line.operation(operation)
                        if let sequence = expecting.sequences[index] { line.member("expected_sequence", sequence) }
                    }
                }
            }
            if !expecting.resources.isEmpty { expected(expecting.resources) }
        case .result(let result, let key, let fetch):
            query(key)
            if let fetch { member("fetch", fetch) }
            self.result(result)
        case .renewal(let result, let key, let asOf, let fetch):
            query(key)
            if let fetch { member("fetch", fetch) }
            if let asOf { member("stored_as_of", Optional(asOf)) }
            self.result(result)
        case .deletion(let key, let asOf, let fetch):
            name("keys")
            array { $0.keys([key]) }
            if let asOf { member("as_of", Optional(asOf)) }
            if let fetch { member("fetch", fetch) }
        case .document(let answer): document(answer)
        case .invalidation(let invalidation): self.invalidation(invalidation)
        case .update(let update):
            member("pending_id", Optional(update.pendingID))
            member("library_id", Optional(update.library))
            name("changes")
            array { line in
                for operation in update.operations { line.object { $0.operation(operation) } }
            }
            texts("depends_on", update.dependsOn)
            if let request = update.send {
                name("send")
                object { $0.send(request) }
            }
        case .commit(let commit): self.commit(commit)
        case .rollBack(let pendingID, let library), .retry(let pendingID, let library):
            member("pending_id", Optional(pendingID))
            if let library { member("library_id", Optional(library)) }
        default: preconditionFailure("\(step) is no request")
        }
    }

    private mutating func operation(_ operation: TransactionOperation) {
        switch operation {
        case .put(let type, let resource):
            head("put", type)
            member("resource", json: Optional(oneLine(resource)))
        case .patch(let type, let id, let fields, let unset):
            head("patch", type, id)
            member("fields", json: Optional(fields.isEmpty ? Array("{}".utf8) : oneLine(fields)))
            if !unset.isEmpty { texts("unset", unset) }
        case .keyedPut(let type, let id, let resource):
            head("put", type, id)
            member("resource", json: Optional(oneLine(resource)))
        case .merge(let type, let id, let fields):
            head("merge", type, id)
            member("fields", json: Optional(oneLine(fields)))
        case .delete(let type, let id):
            head("delete", type, id)
        case .removeField(let type, let id, let field):
            head("remove_field", type, id)
            member("field", Optional(field))
        case .remove(let type, let ids, let matching):
            member("op", Optional("remove"))
            if let type { member("resource_type", Optional(type)) }
            if let ids { texts("ids", ids) }
            if let matching { member("matching", Optional(matching)) }
        }
    }

    private mutating func head(_ name: ByteString, _ type: ByteString, _ id: ByteString? = nil) {
        member("op", Optional(name))
        member("resource_type", Optional(type))
        if let id { member("id", Optional(id)) }
    }

    /// Appends the entities that a program has read and that must still be unchanged.
    private mutating func expected(_ resources: [EntityKey: [UInt8]?]) {
        name("expected")
        array { line in
            for (key, resource) in resources.sorted(by: { $0.key < $1.key }) {
                line.object { line in
                    line.member("library_id", Optional(key.library))
                    line.member("resource_type", Optional(key.type))
                    line.member("id", Optional(key.id))
                    line.member("resource", json: resource)
                }
            }
        }
    }

    private mutating func result(_ result: QueryResult) {
        member("resource_type", Optional(result.resourceType))
        resources(result.resources)
        if !result.included.isEmpty {
            name("included")
            array { line in
                for group in result.included {
                    line.object { line in
                        line.member("resource_type", Optional(group.resourceType))
                        line.resources(group.resources)
                    }
                }
            }
        }
        if let timeToLive = result.timeToLive { member("ttl", thousandths: timeToLive.wholeMilliseconds) }
        if let asOf = result.asOf { member("as_of", Optional(asOf)) }
        if let membership = result.membership { member("membership", json: Optional(oneLine(membership))) }
        if let tags = result.tags { member("tags", json: Optional(oneLine(tags))) }
        if result.isLocal { member("local", true) }
    }

    private mutating func resources(_ resources: [[UInt8]]) {
        name("resources")
        array { line in
            for resource in resources { line.value(json: oneLine(resource)) }
        }
    }

    private mutating func invalidation(_ invalidation: Invalidation) {
        member("library_id", Optional(invalidation.library))
        if let method = invalidation.method { member("method", Optional(method)) }
        if let input = invalidation.input { member("input", json: Optional(input.bytes)) }
        if let type = invalidation.resourceType { member("resource_type", Optional(type)) }
        if let tags = invalidation.tags { member("tags", json: Optional(oneLine(tags))) }
        if let hints = invalidation.hints { member("hints", json: Optional(oneLine(hints))) }
        if invalidation == Invalidation(library: invalidation.library) { member("all", true) }
    }

    /// Appends the members of a mutation request in the form that `optimistic.update` accepts.
    private mutating func send(_ request: MutationRequest) {
        member("method", Optional(request.method))
        member("input", json: Optional(oneLine(request.input)))
        if let key = request.key { member("key", Optional(key)) }
        if request.attemptCountMax != nil || request.duration != nil {
            name("retry")
            object { line in
                if let attemptCountMax = request.attemptCountMax { line.member("attempts", attemptCountMax) }
                if let duration = request.duration { line.member("for", thousandths: duration.wholeMilliseconds) }
            }
        }
        if !request.temporaryIDs.isEmpty { texts("ids", request.temporaryIDs) }
        if request.isReplaceable { member("coalesce", Optional("replace")) }
        if request.onFailure == .continue { member("on_failure", Optional("continue")) }
        if request.discardsOnFailure { member("discard", true) }
    }

    private mutating func commit(_ commit: OptimisticCommit) {
        member("pending_id", Optional(commit.pendingID))
        if let library = commit.library { member("library_id", Optional(library)) }
        if let confirmed = commit.confirmed {
            name("confirmed")
            array { line in
                for resource in confirmed { line.value(json: oneLine(resource)) }
            }
        }
        if let type = commit.resourceType { member("resource_type", Optional(type)) }
        if let sequence = commit.sequence { member("sequence", Optional(sequence)) }
        if let generation = commit.generation { member("generation", generation) }
        if !commit.realIDs.isEmpty {
            name("id_map")
            object { line in
                for (temporary, real) in commit.realIDs.sorted(by: { $0.key < $1.key }) {
                    if commit.integerIDs.contains(temporary) {
                        line.member(temporary, json: Optional(real.bytes))
                    } else {
                        line.member(temporary, Optional(real))
                    }
                }
            }
        }
    }
}

/// Replaces line ends between values by spaces, since a line end would end the line of the recording.
private func oneLine(_ json: [UInt8]) -> [UInt8] {
    json.contains(0x0A) || json.contains(0x0D)
        ? json.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 } : json
}
