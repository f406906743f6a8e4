/// What an evaluation of one row read: a change of any of it may change the row.
///
/// Entities that were found in a bucket are not noted one by one, because each of their changes touches the bucket.
final class ReadLog {
    /// The numbers of entities and buckets, see ``BucketID``.
    private(set) var reads = FewSet<UInt64>()
    /// The entities that includes asked for and that the cache does not know.
    private(set) var missing = FewSet<ViewKey>()
    /// The entities of the row and of its includes.
    private(set) var entities = FewSet<ViewKey>()
    /// The groups of the row's includes, by their index, where a change of one match can be added to them.
    var groups: [Int: GroupSet] = [:]

    func note(entity key: ViewKey) { reads.insert(BucketID.entity(key)) }

    func note(_ bucket: BucketID) { reads.insert(bucket.fingerprint) }

    func note(missing key: ViewKey) { missing.insert(key) }

    func note(behind key: ViewKey) { entities.insert(key) }
}
