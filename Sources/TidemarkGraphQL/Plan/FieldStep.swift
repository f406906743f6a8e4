/// One step in reading objects of a type: a field that is shown, with pointers to its names.
///
/// A step holds no reference, so that iterating over steps does not count references.
struct FieldStep {
    /// The number of the field in ``Collection/fields``.
    let number: Int
    let isTypename: Bool
    let isLeaf: Bool
    /// A comma, the response name as a JSON string, and a colon.
    let response: UnsafeRawBufferPointer
    /// The storage name as it is written between the quotes of a stored member.
    let stored: UnsafeRawBufferPointer
}

/// The steps of a ``Collection`` in the order of its fields, and the memory of their names.
///
/// Bounded by two names for each field.
final class FieldSteps {
    private let names: UnsafeMutableRawBufferPointer
    /// The steps. Valid as long as this object.
    let steps: UnsafeMutableBufferPointer<FieldStep>

    init(_ fields: [CollectedField]) {
        let shown = fields.indices.filter { !fields[$0].isAdded }
        let byteCount = shown.reduce(0) {
            $0 + fields[$1].planned.separatedResponseName.count + fields[$1].planned.writtenStorageName.count
        }
        let names = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 1)
        var used = 0
        func copied(_ name: [UInt8]) -> UnsafeRawBufferPointer {
            let place = UnsafeMutableRawBufferPointer(rebasing: names[used..<used + name.count])
            place.copyBytes(from: name)
            used += name.count
            return UnsafeRawBufferPointer(place)
        }
        steps = .allocate(capacity: shown.count)
        for (place, number) in shown.enumerated() {
            let field = fields[number]
            steps.initializeElement(
                at: place,
                to: FieldStep(
                    number: number, isTypename: field.planned.isTypename, isLeaf: field.set == nil,
                    response: copied(field.planned.separatedResponseName),
                    stored: copied(field.planned.writtenStorageName)))
        }
        self.names = names
    }

    deinit {
        steps.deallocate()
        names.deallocate()
    }
}
