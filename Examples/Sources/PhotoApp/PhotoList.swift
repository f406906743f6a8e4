#if canImport(SwiftUI)
    import PhotoLibrary
    import Photos
    import SwiftUI

    /// The list of photos, with what a user of the example may do to the server.
    struct PhotoList: View {
        let library: PhotoLibrary
        let server: DemoServer
        @State private var isOnline = true
        @State private var renamed: Photo?
        @State private var name = ""

        var body: some View {
            List {
                Section { status }
                Section("Photos") {
                    ForEach(library.photos.items, id: \.id) { photo in
                        Button(photo.name) {
                            name = photo.name
                            renamed = photo
                        }
                    }
                }
                if !library.conflicts.isEmpty {
                    Section("Refused by the server") {
                        ForEach(library.conflicts) { conflict in conflictRow(conflict) }
                    }
                }
                Section("The server") { controls }
            }
            .alert(
                "Rename",
                isPresented: .init {
                    renamed != nil
                } set: {
                    if !$0 { renamed = nil }
                }
            ) {
                TextField("Name", text: $name)
                Button("Rename") { [renamed, name] in
                    if let renamed { Task { await library.rename(renamed, to: name) } }
                }
                Button("Cancel", role: .cancel) {}
            }
        }

        @ViewBuilder private var status: some View {
            switch library.freshness {
            case .current: Text(library.pendingCount == 0 ? "Up to date" : "\(library.pendingCount) edits wait")
            case .waiting: Text("Asking for missing events")
            case .incomplete: Text("Some events are lost")
            }
            if let failure = library.failure { Text(failure).foregroundStyle(.red) }
        }

        private func conflictRow(_ conflict: PhotoLibrary.Conflict) -> some View {
            VStack(alignment: .leading) {
                Text(conflict.reason)
                HStack {
                    Button("Give up") { Task { await library.giveUp(conflict) } }
                    Button("Send again") { Task { await library.sendAgain(conflict) } }
                }
                .buttonStyle(.bordered)
            }
        }

        @ViewBuilder private var controls: some View {
            Toggle("Reachable", isOn: $isOnline)
                .onChange(of: isOnline) { _, isOnline in
                    Task {
                        if isOnline { await server.connect() } else { await server.disconnect() }
                        await library.update()
                    }
                }
            Button("Lose the next event") { Task { await server.loseNextEvent() } }
            Button("Rename a photo as somebody else") {
                Task { await server.rename("1", to: "Sea \(Int.random(in: 1...99))") }
            }
        }
    }
#endif
