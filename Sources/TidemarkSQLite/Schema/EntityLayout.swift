/// The form in which a data file holds entities. An existing file keeps the form that it was created with.
package enum EntityLayout: Sendable, CaseIterable {
    /// A row for each entity: the tables `keys` and `entities`. Every file of users has it.
    case rows
    /// Blocks of up to 127 entities: the tables of docs/decisions/0020-past-memory.md. Only the writer of a file can
    /// read them so far; everything else refuses the file as one of a newer format.
    case blocks

    /// The format of a file that is created with this form.
    var formatVersion: Int32 {
        switch self {
        case .rows: DataFile.formatVersion
        case .blocks: DataFile.blockFormatVersion
        }
    }
}
