import Tidemark
import TidemarkModel
import TidemarkWire

extension JSONLine {
    /// The elements of `pending` in what `optimistic.list` answers.
    ///
    /// - Source: Protocol/optimistic.md, methods.
    mutating func pendingLayer(_ layer: PendingLayer) {
        object { line in
            line.member("pending_id", layer.pendingID)
            line.member("state", ByteString(layer.state.rawValue))
            line.name("changes")
            line.array { line in
                for operation in layer.operations { line.change(operation) }
            }
            if !layer.along.isEmpty {
                line.name("along")
                line.array { line in
                    for key in layer.along {
                        line.object { line in
                            line.member("resource_type", key.type)
                            line.member("id", key.id)
                        }
                    }
                }
            }
            line.member("library_id", layer.library)
            line.name("depends_on")
            line.array { line in
                for id in layer.dependsOn { line.value(id) }
            }
        }
    }

    private mutating func change(_ operation: TransactionOperation) {
        object { line in
            switch operation {
            case .put(let type, let resource):
                line.member("op", "put")
                line.member("resource_type", type)
                line.member("resource", json: resource)
            case .patch(let type, let id, let fields, let unset):
                line.member("op", "patch")
                line.member("resource_type", type)
                line.member("id", id)
                line.member("fields", json: fields.isEmpty ? Array("{}".utf8) : fields)
                guard !unset.isEmpty else { return }
                line.name("unset")
                line.array { line in
                    for name in unset { line.value(name) }
                }
            case .delete(let type, let id):
                line.member("op", "delete")
                line.member("resource_type", type)
                line.member("id", id)
            case .removeField(let type, let id, let field):
                line.member("op", "remove_field")
                line.member("resource_type", type)
                line.member("id", id)
                line.member("field", field)
            }
        }
    }
}
