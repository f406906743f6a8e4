import TidemarkModel
import TidemarkSQLite
import TidemarkJSON

extension ReadAnswer {
    var entity: EntitySnapshot? {
        guard case .found(let entity) = self else { return nil }
        return entity
    }

    /// The value of `miss`; empty if the entity exists. A damaged row counts as absent.
    var missCode: String {
        switch self {
        case .found: ""
        case .absent, .damaged: "absent"
        case .deleted: "deleted"
        case .evicted: "evicted"
        }
    }
}

extension VisibleAnswer {
    /// The answer in the form of `entity.get`.
    ///
    /// - Source: Protocol/sessions.md, entity.get.
    var json: [UInt8] {
        let entity = answer.entity
        var line = JSONLine()
        line.object { line in
            line.member("entity", json: entity?.payload)
            line.member("pending", isPending)
            line.member("sequence", sequence)
            line.member("stale", false)
            line.member("miss", entity == nil ? ByteString(answer.missCode) : nil)
        }
        return line.bytes
    }
}
