/// A change of data that a journal keeps beside the entities, such as stored HTTP responses. It is committed together
/// with the changes of entities that it belongs to.
///
/// The state and the cache pass it on in its order; only the module that makes it and the journal know what it is. A
/// journal without a place for such data ignores it.
package protocol AttachedChange: Sendable {}
