//! The report, as text and as JSON.

use super::*;

#[test]
fn as_text_and_as_json() {
    let _turn = with_devices([DeviceModel::a100()]);
    let spec = spec(&[Arch::SM_80], Kernel::new().registers(40)).require(half());
    let report = guard().report(&spec, function(KernelModel::new(168))).unwrap();
    let text = report.to_string();
    for part in ["occupancy 12.5% is below the required 50%", "registers: 168", "108 SMs", "registers: Some(40)"] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["kernel"], "k");
    assert_eq!(json["archs"][0], "sm_80");
    assert_eq!(json["device"]["limits"]["max_warps_per_sm"], 64);
    assert_eq!(json["function"]["registers"], 168);
    assert_eq!(json["blocks_per_sm"], 1);
    assert_eq!(json["findings"][0]["severity"], "error");
    assert_eq!(json["findings"][0]["mismatch"]["occupancy"]["blocks_per_sm"], 1);
    assert_eq!(json["findings"][1]["mismatch"]["registers"]["declared"]["exactly"], 40);
}
