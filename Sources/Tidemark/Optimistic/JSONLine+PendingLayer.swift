import TidemarkModel
import TidemarkJSON

extension JSONLine {
    /// Writes one element of the answer to `optimistic.list`.
    ///
    /// - Parameters:
    ///   - layer: The layer.
    ///   - outbox: The progress of its request, as a data file has it; nil to leave it out.
    /// - Source: Protocol/optimistic.md, methods.
    package mutating func value(_ layer: PendingLayer, outbox: OutboxStatus? = nil) {
        object { line in
            line.member("pending_id", Optional(layer.pendingID))
            line.member("state", ByteString(layer.state.rawValue))
            line.name("changes")
            line.array { line in
                for operation in layer.operations { line.value(operation) }
            }
            if !layer.along.isEmpty {
                line.name("along")
                line.array { line in
                    for key in layer.along {
                        line.object { line in
                            line.member("resource_type", Optional(key.type))
                            line.member("id", Optional(key.id))
                        }
                    }
                }
            }
            line.member("library_id", Optional(layer.library))
            line.strings("depends_on", layer.dependsOn)
            if let outbox {
                line.name("outbox")
                line.object { line in
                    line.member("state", ByteString(outbox.state.rawValue))
                    line.member("attempt", outbox.attempt)
                    line.error(outbox.failure)
                }
            }
        }
    }

    /// Writes the failure of a request as the member `error`; null when there is none.
    package mutating func error(_ failure: MutationFailure?) {
        guard let failure else { return member("error", json: nil) }
        name("error")
        object { line in
            line.member("message", Optional(failure.message))
            if let code = failure.code { line.member("code", Optional(code)) }
        }
    }

    /// Writes an operation in the form that requests use.
    package mutating func value(_ operation: TransactionOperation) {
        object { line in
            switch operation {
            case .put(let type, let resource):
                line.operation("put", type)
                line.member("resource", json: Optional(resource))
            case .patch(let type, let id, let fields, let unset):
                line.operation("patch", type, id)
                line.member("fields", json: fields.isEmpty ? Array("{}".utf8) : fields)
                if !unset.isEmpty { line.strings("unset", unset) }
            case .keyedPut(let type, let id, let resource):
                line.operation("put", type, id)
                line.member("resource", json: Optional(resource))
            case .merge(let type, let id, let fields):
                line.operation("merge", type, id)
                line.member("fields", json: Optional(fields))
            case .delete(let type, let id):
                line.operation("delete", type, id)
            case .removeField(let type, let id, let field):
                line.operation("remove_field", type, id)
                line.member("field", Optional(field))
            case .remove: preconditionFailure("a layer forgets nothing")
            }
        }
    }

    private mutating func operation(_ name: ByteString, _ type: ByteString, _ id: ByteString? = nil) {
        member("op", Optional(name))
        member("resource_type", Optional(type))
        if let id { member("id", Optional(id)) }
    }

    private mutating func strings(_ name: ByteString, _ strings: [ByteString]) {
        self.name(name)
        array { line in
            for string in strings { line.value(string) }
        }
    }
}
