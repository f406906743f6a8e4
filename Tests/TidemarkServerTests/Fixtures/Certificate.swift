/// A certificate for `localhost` and 127.0.0.1 that signs itself, valid from 2000 to 2125, with its key. It proves
/// nothing to anybody: it is for these tests alone.
enum Certificate {
    static let chain = """
        -----BEGIN CERTIFICATE-----
        MIIBZzCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
        c3QwIBcNMDAwMTAxMDAwMDAwWhgPMjEyNTAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
        CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOzosF5YkJBG5x+/
        rfdiQR81P5/lgWjsPW3ChrKiTgMMdY/wBz7/ASk5YOrknJJ7GJK5ZFTa3PXh5cWy
        p63LI66jTjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0
        hwR/AAABMB0GA1UdDgQWBBSwrErNGBtoscTOhHus36ivln+MbzAKBggqhkjOPQQD
        AgNIADBFAiEAjDhiY0AXR6Nl2WPF2FDk2YQlwXyrULWWXk/kNHGCQ4oCIAhj/GrS
        4LC3i6Z1G+VT25WLL4OFqXMwOcY6Lmu41rxf
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmWNhK/HzpDFAUGZi
        S9/lcNKw5tIowMzgvu26Ssume7qhRANCAATs6LBeWJCQRucfv633YkEfNT+f5YFo
        7D1twoayok4DDHWP8Ac+/wEpOWDq5JySexiSuWRU2tz14eXFsqetyyOu
        -----END PRIVATE KEY-----
        """
}
