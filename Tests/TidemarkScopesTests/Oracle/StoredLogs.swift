import ScopeTestKit
import TidemarkModel
import TidemarkViews

@testable import TidemarkScopes

/// Logs on a disk, written after some units by what changed since the last time.
struct StoredLogs {
    private(set) var images: [ScopeOracle.Instance: ScopeLogImage] = [:]

    /// Writes what changed.
    mutating func write(
        _ instance: ScopeOracle.Instance, _ scopes: ScopeSet, _ handle: ScopeHandle, _ entities: any ListableEntities
    ) {
        let known = images[instance]
        guard let all = scopes.image(handle, since: nil, entities) else { return }
        guard var image = known, image.identity == all.identity,
            let delta = scopes.image(handle, since: image.head, entities), !delta.isWhole
        else {
            images[instance] = all
            return
        }
        var members = Dictionary(image.members.map { ($0.key, $0) }) { $1 }
        for (key, stay) in delta.stays where members[key]?.entered == stay.entered { members[key] = nil }
        for member in delta.members { members[member.key] = member }
        image.members = members.values.sorted { $0.key < $1.key }
        image.stays = (image.stays + delta.stays).filter { $0.stay.left > delta.horizon }
        image.head = delta.head
        image.horizon = delta.horizon
        image.unknown = delta.unknown
        images[instance] = image
    }

    /// Notes that positions up to one may have been sent.
    mutating func reserve(_ instance: ScopeOracle.Instance, _ position: ScopePosition) {
        images[instance]?.reserved = position
    }

    mutating func forget() { images = [:] }
}
