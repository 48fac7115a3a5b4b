#[allow(non_camel_case_types, missing_docs, unreachable_pub)]
pub enum look {}
impl ::saga_core::Step for look {
    const CONTRACT: ::saga_core::contract::StepContract = ::saga_core::contract::StepContract::plain(
        "look",
        ::core::module_path!(),
        ::saga_core::contract::Reversibility::ReadOnly,
        ::saga_core::contract::Idempotency::Idempotent,
    );
    type Env = Gateway;
    type Output = bool;
    type Error = Refused;
    fn act<'a>(
        __reader: &'a ::saga_core::InputReader<'a>,
        __act: ::saga_core::Act<'a, Self>,
    ) -> ::core::result::Result<::saga_core::Acting<'a>, ::saga_core::DecodeError> {
        async fn look(cx: &StepCx<Gateway>) -> Result<bool, Refused> {
            cx.env().look().await
        }
        ::core::result::Result::Ok(
            match __act {
                ::saga_core::Act::Run(__cx) => ::saga_core::ran::<Self>(look(__cx)),
                _ => ::core::option::Option::None,
            },
        )
    }
}
#[allow(clippy::too_many_arguments)]
pub fn look<'saga>(
    __saga: &'saga mut ::saga_core::Saga,
) -> ::saga_core::Call<'saga, look> {
    #[allow(unused_mut)]
    let mut __inputs = ::saga_core::InputWriter::of(__saga);
    ::saga_core::Call::new(__saga, __inputs)
}
#[allow(non_camel_case_types, missing_docs, unreachable_pub)]
pub enum glance {}
#[allow(clippy::too_many_arguments)]
pub fn glance() -> ::saga_core::Start<glance> {
    #[allow(unused_mut)]
    let mut __inputs = ::saga_core::InputWriter::of_a_start();
    ::saga_core::Start::new(__inputs)
}
const _: () = {
    #[allow(unused_imports)]
    use ::saga_core::fallback::*;
    {
        impl ::saga_core::SagaType for glance {
            const DEFINITION: ::saga_core::definition::Definition = ::saga_core::definition::Definition {
                name: "glance",
                version: 1u32,
                owner: "me",
                deadline: ::core::option::Option::None,
                nodes: &::saga_core::definition::outline::nodes::<
                    4,
                >("^1s2e0o0", &[<__s0 as ::saga_core::Site>::NODE], ""),
                edges: &::saga_core::definition::outline::edges::<3>("1.2-3+", ""),
            };
            type Inputs = ();
            type Output = bool;
            type Error = StepError<Refused>;
            fn read(
                __reader: &::saga_core::InputReader<'_>,
            ) -> ::core::result::Result<Self::Inputs, ::saga_core::DecodeError> {
                ::core::result::Result::Ok(())
            }
            fn body(
                __saga: &mut ::saga_core::Saga,
                __inputs: Self::Inputs,
            ) -> ::saga_core::BodyFuture<'_, bool, StepError<Refused>> {
                async fn glance(cx: &mut Saga) -> Result<bool, StepError<Refused>> {
                    Ok(look(cx).await?.into_inner())
                }
                ::saga_core::boxed(glance(__saga))
            }
        }
        impl<P> ::saga_core::RunsOn<P> for glance
        where
            __s0: ::saga_core::SiteOn<P>,
        {
            fn register(__table: &mut ::saga_core::StepTable<P>) {
                <__s0 as ::saga_core::SiteOn<P>>::register(__table);
            }
        }
        impl ::saga_core::Site for glance {
            const NODE: ::saga_core::definition::NodeKind = ::saga_core::definition::NodeKind::NotJournaled(
                "glance",
            );
        }
        impl<P> ::saga_core::SiteOn<P> for glance {}
        #[allow(unused_macros)]
        macro_rules! look {
            () => {};
        }
        #[allow(unused_imports)]
        use look as __s0;
        #[allow(unreachable_patterns, unused_variables)]
        const __MACHINE: &::saga_core::definition::Checked = &::saga_core::definition::Checked::of(
            &<glance as ::saga_core::SagaType>::DEFINITION,
            &[
                match 1u8 {
                    __s0 => true,
                    _ => false,
                },
            ],
        );
        const _: () = __MACHINE.at(1usize, "look");
    }
};
