//! placeholder
use proc_macro::TokenStream;
/// step
#[proc_macro_attribute]
pub fn step(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}
/// saga
#[proc_macro_attribute]
pub fn saga(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}
/// failure
#[proc_macro_derive(Failure, attributes(failure))]
pub fn failure(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
/// signal
#[proc_macro_derive(Signal, attributes(signal))]
pub fn signal(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
/// env
#[proc_macro_derive(Environment)]
pub fn environment(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
