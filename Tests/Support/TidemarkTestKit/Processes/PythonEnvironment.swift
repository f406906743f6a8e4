import Foundation

/// The virtual environment with the Python packages that some tests compare with; `make python` creates it.
package enum PythonEnvironment {
    private static let folder = ProtocolVector.protocolFolder.deletingLastPathComponent().appending(
        path: ".build/python")

    /// The path of its interpreter; nil if the environment is missing.
    package static let interpreter: String? = {
        let path = folder.appending(path: "bin/python3").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// Returns the interpreter of another environment from `make python`, by the name of its folder in `.build`.
    ///
    /// - Returns: nil if the environment is missing.
    package static func interpreter(of name: String) -> String? {
        let path = folder.deletingLastPathComponent().appending(path: "\(name)/bin/python3").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    /// Why tests that need the environment are skipped if it is missing.
    package static let advice = "the Python packages are not installed; make python installs them"
}
