/// A file of the inspector's page. The files are compiled in, so that moved or static executables contain them.
///
/// `make web` generates them from `Web/inspector`; `make test-web` compares the two.
///
/// ```swift
/// guard let file = InspectorFile(path: "/inspector.js") else { return }
/// print("Content-Type: \(file.contentType)")
/// print("Content-Length: \(file.bytes.count)")
/// ```
package enum InspectorFile: CaseIterable, Hashable, Sendable {
    /// The HTML page, its script, its style sheet, and its icon.
    case page, script, style, icon

    /// Finds the file at a path of the server.
    ///
    /// - Parameter path: The path as written, without a query.
    /// - Returns: nil if no file has this path.
    package init?(path: String) {
        guard let file = InspectorFile.allCases.first(where: { $0.path == path }) else { return nil }
        self = file
    }

    /// The path of the file on the server.
    package var path: String {
        switch self {
        case .page: "/"
        case .script: "/inspector.js"
        case .style: "/inspector.css"
        case .icon: "/icon.svg"
        }
    }

    /// The `Content-Type` of the file.
    package var contentType: String {
        switch self {
        case .page: "text/html; charset=utf-8"
        case .script: "text/javascript; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }

    /// The content of the file.
    package var bytes: [UInt8] {
        switch self {
        case .page: Array(InspectorPage.html.utf8)
        case .script: Array(InspectorPage.script.utf8)
        case .style: Array(InspectorPage.style.utf8)
        case .icon: Array(InspectorPage.icon.utf8)
        }
    }
}
