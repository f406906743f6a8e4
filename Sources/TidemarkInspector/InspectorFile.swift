/// One file of the inspector's page. The files are compiled in: a program that is moved or linked statically has them.
///
/// `make web` writes them from `Web/inspector`; `make test-web` compares the two.
package enum InspectorFile: CaseIterable, Hashable, Sendable {
    case page, script, style, icon

    /// - Parameter path: A path of the server, as it is written.
    /// - Returns: nil when no file has this path.
    package init?(path: String) {
        guard let file = InspectorFile.allCases.first(where: { $0.path == path }) else { return nil }
        self = file
    }

    /// The path that a browser asks for.
    package var path: String {
        switch self {
        case .page: "/"
        case .script: "/inspector.js"
        case .style: "/inspector.css"
        case .icon: "/icon.svg"
        }
    }

    /// The `Content-Type`.
    package var contentType: String {
        switch self {
        case .page: "text/html; charset=utf-8"
        case .script: "text/javascript; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }

    /// The contents of the file.
    package var bytes: [UInt8] {
        switch self {
        case .page: Array(InspectorPage.html.utf8)
        case .script: Array(InspectorPage.script.utf8)
        case .style: Array(InspectorPage.style.utf8)
        case .icon: Array(InspectorPage.icon.utf8)
        }
    }
}
