import TidemarkModel

/// The two directives of policies. All other directives are ignored.
enum PolicyDirective: String {
    /// A directive on a type or a field.
    case control = "cacheControl"
    /// A directive on a type about one of its fields; repeatable.
    case field = "cacheControlField"

    init?(_ directive: Directive) {
        self.init(rawValue: directive.name.text.description)
    }
}
