import TidemarkStore

/// One entity that changed, with both of its versions ready to be read.
struct ChangedEntity {
    let key: ViewKey
    let old: ViewEntityState
    let new: ViewEntityState
    /// The resource before the change; nil without one.
    let oldResource: OutlinedResource?
    /// The resource after the change; nil without one.
    let newResource: OutlinedResource?
    /// What differs between both versions.
    let difference: MemberDifference

    init(_ change: ViewChange) {
        key = change.key
        old = change.old
        new = change.new
        oldResource = change.old.resource.map { OutlinedResource($0) }
        newResource = change.new.resource.map { OutlinedResource($0) }
        if let oldResource, let newResource {
            difference = MemberDifference(oldResource, newResource)
        } else {
            difference = .unknown
        }
    }
}
