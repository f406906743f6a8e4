/// Keys that were made for these tests, and tokens that another implementation, Python's cryptography, signed with
/// them.
enum TestKeys {
    /// The secret of `hs`: the bytes 1 to 48.
    static let secret = (1...48).map { UInt8($0) }
    static let modulus = """
        47lUHHeFm95CL4lFH-4WdwbPwHuOYjwZ1an5qIU8-uV1xr5V-7jqVzRnYwYdX0ebCoKEnuE6bYVwZmyHGNPyO6s17WXnIazxWwHp\
        oJHzA5E-WEKZt2nDsJVZyL4XYFHUUyQqrYsTcwSoct7rnMxy3Q4gJT3t3eXHb0JiEIa808ltXj-1hcRqlqlCTWXxxfFYbbHW0HgO\
        OdNfGYlBoYj01qOTJn-TXPLa4f3RwENu9LZkgIID1spD8sk0x0fh7DMKsLQ1iVgM_BTxpOkPJQbrqSLaGezh2WxIb9Ur9oaaS2K5\
        7j1aNZ5Bqu0eJqU_kBorhPw4AbGKGYjQm0ykqzP8wQ
        """
    static let x = "VUZVjUtL2tbzmuW17Yq4t706dbIwuaPoZnrtlA7UQ10"
    static let y = "1O22IJNwvuQtaEGAjQxSfrPnY0JVBVKKX9zQhyoMSAw"
    static let edX = "x00oQ47JTxB63hBz0gC6a-cFESb9Tb_OdG93wH9dV_o"
    /// The modulus of another key, with 1,024 bits.
    static let shortModulus = """
        4aVvRFZnmO9kFdRCg7XsD1A_PCEkocpNOxng2hdjlAU8dzqU1ysC-DgfjTaQryRtLu7rOlP55bh-qoFf1Cwv2Hpbnia7XXXsJ_EF\
        BvalidGWiA2_0qDr81dXCGEho08r4wWjl1kMiS3G10VYBJGTn9yXIEXN3HzsojTM_MDtOO8
        """

    static let hs = #"{"kty":"oct","kid":"hs","k":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8w"}"#
    static let rs = #"{"kty":"RSA","kid":"rs","n":"\#(modulus)","e":"AQAB"}"#
    static let es = #"{"kty":"EC","crv":"P-256","kid":"es","x":"\#(x)","y":"\#(y)"}"#
    static let ed = #"{"kty":"OKP","crv":"Ed25519","kid":"ed","x":"\#(edX)"}"#

    /// A file of some keys.
    static func file(_ keys: String...) -> [UInt8] {
        Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8)
    }

    /// The file of all four keys.
    static let all = file(hs, rs, es, ed)

    /// Tokens with the claims `{"sub":"u1","exp":2000000000}`, one for each algorithm.
    static let foreignTokens = [
        """
        eyJhbGciOiJIUzI1NiIsImtpZCI6ImhzIn0.eyJzdWIiOiJ1MSIsImV4cCI6MjAwMDAwMDAwMH0.zcqPa8ZCTlgTqoKZ2Oc5YBew\
        9eaJqXhdQ56XeTezjhQ
        """,
        """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InJzIn0.eyJzdWIiOiJ1MSIsImV4cCI6MjAwMDAwMDAwMH0.4oDLr_B0DeFjZT-09W8SSs6Z\
        QUfT0VRKjUvFZshwJzo79t8IRlMNkTSoCizQET4t3lEkLSPp-lOTpa6jQrC5dWPTlS24PjMAlTXz4SBaWU2JWlmBlVBBRmAzn41O\
        5irQF3PXup5SlRTFo43Brl2PkFDnLSfkspICn4CiI_4taO7F6S8en2k9CCjYmw-tuMGiSivj-J1EurxUZxBMhnGeYh75Cd9q3Exs\
        vaH3p1TpbPw5vWNfr7gXiSc2DSKuxUVPWvRnEZt0KWl0tfIk6oveK50ALnoqBU3Yq1uoLLnmXq-I6sBtvA1ntLnIDxUJZ4t2PC60\
        lh7ttffFLt6Uipph2Q
        """,
        """
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImVzIn0.eyJzdWIiOiJ1MSIsImV4cCI6MjAwMDAwMDAwMH0.yvyUv-h51twAOzY97z2y-u3E\
        CxMGh2zZ7uPllrhAJde7yZ6WOncCfXR-T96NpDgr43qLPfUfXk_MmOxuJLdCbQ
        """,
        """
        eyJhbGciOiJFZERTQSIsImtpZCI6ImVkIn0.eyJzdWIiOiJ1MSIsImV4cCI6MjAwMDAwMDAwMH0.LdTZvXLbOqGbgn5l4qJqnV6H\
        GEmZHxIArK45iBRFvx1wQrIKuwak8o_7o1gP8e7wxRhyoXledBibDFi-W8m0AQ
        """,
    ]

    /// The same claims under `rs`, with the padding PSS instead of the one of RS256.
    static let foreignPSS = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InJzIn0.eyJzdWIiOiJ1MSIsImV4cCI6MjAwMDAwMDAwMH0.pWdREdtlxnfmWWhIrxZpIpc4\
        _YVGVB03wdSCoVVE74yX1vEviRODbY3I_SEPKHB3wyLyeBHhgwLkSkeOuvKhc5a6cX5FS0VPm6lMtULbM3bH7TSRuvAo32zuN0vC\
        pdN3yw8OIfqrq_T2zCxqLz5lbeyVXOj1d4ARRFENiJaXfKpW0rZmvEQwgb8_o956YIFF4mzQ-DnWmkVGd3d0rYonHroVvAy5SRCJ\
        cim6vGjDDkbxJJr7erft_RW1TviSLgJDsNItca3WkXXqUcB0Yb9ezOkxs73avnNYZmYylgxniUBpUuP_p32q7EzBh0_8-iLCtmE3\
        4QTw_smCPdHba_AIgw
        """

    static let rsaPrivate = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDjuVQcd4Wb3kIv
        iUUf7hZ3Bs/Ae45iPBnVqfmohTz65XXGvlX7uOpXNGdjBh1fR5sKgoSe4TpthXBm
        bIcY0/I7qzXtZechrPFbAemgkfMDkT5YQpm3acOwlVnIvhdgUdRTJCqtixNzBKhy
        3uuczHLdDiAlPe3d5cdvQmIQhrzTyW1eP7WFxGqWqUJNZfHF8VhtsdbQeA45018Z
        iUGhiPTWo5Mmf5Nc8trh/dHAQ270tmSAggPWykPyyTTHR+HsMwqwtDWJWAz8FPGk
        6Q8lBuupItoZ7OHZbEhv1Sv2hppLYrnuPVo1nkGq7R4mpT+QGiuE/DgBsYoZiNCb
        TKSrM/zBAgMBAAECggEABTepZPYy867tSTaX5KELTyiDAzbvfIoiCUV12afdFXZj
        NxGkgZ4XUiZ6b4wX6V9YFr7mGgfo81I+QK4AD8RIH5hq9bqe37RdMqWf6jaq1Lov
        xYTX3dIyvl+THzKWAXYpfzrH/qo1+LW+tGRNrZXYdD6tA05slifT/JVOvvA/2How
        /nplgVqcYisAuqqOp7eadbknzKTL8GIg8gXl1FQm4n3W75hhZHiFSBb4rcSROVKm
        WcLzDs2ZhyAByW07xOOwn25gKy3hhFiJDl3tbeq+97ePIauFOYDbEZ7yCFlTrxHt
        62m7a7/71kwJVqiMjjRk4Pb3LdYrqDKVp6OPQ2I6oQKBgQD0kQRZxjB80OtuFlFq
        szjlbVV8DgdpT9xIU/9w3DcOl4xCxQ+DaobUzThNOd4x3ENLHB7T30Xg7XPSA7Vc
        Z9MCCy8+CFw6e2sRy51BvNTsNBNCexxQMw7Cis+YzZuCMrZMW5J2MvC0sbcg38Xg
        DP1XwGliV+defVs2/n+DNh41oQKBgQDuXr1FchnihpEWPHn5fEk0Xp5BuH9uVLgl
        1DuXAn98W1KYBnf3NVFeLiyoQBbYbX0ETFLO6dsviqyUxw2nMfAy/ksFBEVBUkk2
        DgjOjsbTXVYozx4/DYQBN9H1a4JOCZ5xrlNOnTFF+rgL+wcgFpjqZ02ozH6gkbXS
        ee+wKKAzIQKBgH241r23rlFbrMtI2c26GDOIwvsk0xaGIT1lQNkpu3va2BWy68io
        yGs4nArHBrwm+Mjxyb8s9eUs6+84TNEV5lkUmtKOxaqiq2XYgBy9D8/k7Umts95e
        gOXtKc7pU1nY6/HQ2Te99BNPkE5r+nK0+r9TgFk3yw697lgU+EPhXCJBAoGBANmt
        mpp4gDrlOEleIOU8In24ijzqBzTyGNgy39gfZ9xgaSR7g8I05oFjGVTscfBiy+/I
        4zYhSRA5SzDyNf2hFQD8R/Xk2Hm2czTxzAkVSWxrp+rMeYqLBSk3mHzOGMi67/5Q
        e7MmyYBmXPxT2UXsXOhyPfEQDfMEHU6AG+p6rxEBAoGBAJffj9BjVWFofhNEd+7r
        ed5V6k317Fv0NwfYw+j5Nl1KmanYwI/wzHKhVf1utC1nunYwBAaZFNa9ciJLm/oT
        qKAj8UC17FoztzFiylUkdrQQfO+PBY6q2HP2hX9JZik7JOv0n5cV2RyEslUUFC98
        Exfj/6COHGaHVjyYxPpPc8JL
        -----END PRIVATE KEY-----
        """

    static let rsaPublic = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA47lUHHeFm95CL4lFH+4W
        dwbPwHuOYjwZ1an5qIU8+uV1xr5V+7jqVzRnYwYdX0ebCoKEnuE6bYVwZmyHGNPy
        O6s17WXnIazxWwHpoJHzA5E+WEKZt2nDsJVZyL4XYFHUUyQqrYsTcwSoct7rnMxy
        3Q4gJT3t3eXHb0JiEIa808ltXj+1hcRqlqlCTWXxxfFYbbHW0HgOOdNfGYlBoYj0
        1qOTJn+TXPLa4f3RwENu9LZkgIID1spD8sk0x0fh7DMKsLQ1iVgM/BTxpOkPJQbr
        qSLaGezh2WxIb9Ur9oaaS2K57j1aNZ5Bqu0eJqU/kBorhPw4AbGKGYjQm0ykqzP8
        wQIDAQAB
        -----END PUBLIC KEY-----
        """

    static let ecPrivate = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEczvNUdMksbnNkvF
        9C8TPsMMH3jt03ofl/bFPm4Ja8WhRANCAARVRlWNS0va1vOa5bXtiri3vTp1sjC5
        o+hmeu2UDtRDXdTttiCTcL7kLWhBgI0MUn6z52NCVQVSil/c0IcqDEgM
        -----END PRIVATE KEY-----
        """

    static let edPrivate = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIEv8Np3RfVLEylIh/peb66Jhwura2xYdALeUftMi6GbJ
        -----END PRIVATE KEY-----
        """
}
