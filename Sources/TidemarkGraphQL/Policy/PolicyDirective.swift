import TidemarkModel

/// The two directives that a policy reads; all others are somebody else's.
enum PolicyDirective: String {
    /// On a type or a field.
    case control = "cacheControl"
    /// On a type, of one of its fields; repeatable.
    case field = "cacheControlField"

    init?(_ directive: Directive) {
        self.init(rawValue: directive.name.text.description)
    }
}
