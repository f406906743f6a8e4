/// Colours for people; without a terminal, text stays unchanged.
struct Style {
    enum Tint: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    let hasColors: Bool

    func paint(_ text: String, _ tint: Tint) -> String {
        hasColors ? "\u{1B}[\(tint.rawValue)m\(text)\u{1B}[0m" : text
    }
}
